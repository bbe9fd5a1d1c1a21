/**
 * Characters that look like Latin letters: `confusables.txt` of Unicode Technical Standard 39
 * (https://www.unicode.org/Public/security/10.0.0/confusables.txt), as far as a host name may contain them beside Latin
 * letters (IDNA) and they do not decompose to these. Added are the Latin letters whose Unicode name is that of another with
 * a stroke, hook or tail, or of a small capital (`\u0262`), and a few letters that are only similar (`\u0448`).
 */
const table: ReadonlyArray<readonly [latin: string, characters: string]> = [
  ["a", "ɑαаᎪᗅᴀᶏⱥꓮ𐊠𖽀"],
  ["b", "ßƀƃƅɓʙβбвьѣҍᏏᏰᏴᖯᗷᵬᶀꓐꞗꞵ𐊂𐊡𐌁"],
  ["c", "ƈȼɕсҫԑᏟᴄⲉⲥꓚꞓꞔ𐊢𐌂𐐩𐐽𐔜𑣎𑣩𑣲𝼝"],
  ["d", "ðđƌȡɖɗԁᎠᏧᑯᗞᗪᴅᵭᶁᶑꓒꓓꟈ"],
  ["e", "ɇɛεеєҽҿᎬᴇᶒⱸⴹꓰꬲꬴ𐊆"],
  ["f", "ƒғքᖴᵮᶂẝꓝꜰꞙꬵ𐊇𐊥𐔥𑣂"],
  ["g", "ƍǥɠɡɢʛԍցᏀᏳᶃꓖꞡꬶ"],
  ["h", "ħɦʜнћңһӈӊհᎻᏂᏲᕼⱨꓧꚕꞕ𐋏"],
  ["i", "ıɨɩɪιіᎥᵻᵼᶖꙇ𑣃𝼚"],
  ["j", "ȷɉɟʄʝϳјյᎫᒍᴊꓙ"],
  ["k", "ƙκкᏦᛕᴋᶄⱪꓗꝁꝃꝅꞣ𐔘"],
  ["l", "łƚǀȴɫɬɭʟӏ۱Ꮮᒪᛁᴌᶅⱡⳑⵏꓡꓲꝉꞎꬷꬸꬹ𐊊𐌉𐌠𐑃𐔦𖼖𖼨𝼄𝼑𝼓"],
  ["m", "ɱмᎷᗰᛖᴍᵯᶆꓟꬺ𐊰𐌑"],
  ["n", "ŋƞȵɲɳɴηпոռᵰᶇꓠꞑꞥꬻ𐔓"],
  ["o", "øɵθοσоѳөօ۵०০੦૦ଠ୦௦౦೦ഠ൦๐໐တဝ၀ჿዐᎾᏫᴏᴐᴑⱺⲟⴱⵁⵔ〇ꓳꝋꝍꬽꬾ𐊒𐊫𐐬𐓪𐔖𑓐𑣈𑣗𑣠𝼛"],
  ["p", "þƥƿρϸрᏢᑭᴘᴩᵱᵽᶈⲣꓑꝑꝓꝕ𐊕"],
  ["q", "ɋʠԛգզᶐⵕꝗꝙꞯ"],
  ["r", "ɍɼɽɾʀгᎡᏒᖇᴦᵲᵳᶉⲅꓣꞧꭆꭇꭈꭉꭋꭌ𖼵𝼖"],
  ["s", "ƽȿʂѕᏕᏚᵴᶊꓢꜱꞩꟊ𐊖𐑈𑣁𖼺𝼞"],
  ["t", "ŧƫƭȶʈτтҭᎢᎿᴛᵵⱦꓔ𐊗𐊱𐌕𖼊𝼉"],
  ["u", "υцսሀᏌᑌᴜᵾᶙꓴꞟꞹꭎꭒ𐓶𑣘𖽂"],
  ["v", "ʋνѵ۷Ꮩᐯᴠᶌⱱⱴⴸꓦꛟꝟ𐔝𑜆𑣀𖼈"],
  ["w", "ɯωшщѡѽԝաᎳᏔᴡⱳⲱⲽꓪꙍꝡꞷ𑓅𑜊𑜎𑜏𑣦𑣯"],
  ["x", "χхᕁᕽᚷᶍⲭⵝꓫꭓꭕꭖꭗꭘꭙ𐊐𐊴𐌗𐌢𐔧𑣬"],
  ["y", "ƴɏɣʏγуүұყᎩᎽỿꓬꭚ𐊲𑣜𖽃"],
  ["z", "ƶȥɀʐʑᏃᴢᵶᶎⱬꓜ𐋵𑣄𑣥"],
  ["aa", "ꜳ"],
  ["ae", "æӕ"],
  ["ao", "ꜵ"],
  ["au", "ꜷ"],
  ["av", "ꜹꜻ"],
  ["ay", "ꜽ"],
  ["bi", "ы"],
  ["dz", "ʣʥ"],
  ["fn", "ʩ"],
  ["ll", "ǁ"],
  ["ls", "ʪ"],
  ["lz", "ʫ"],
  ["oe", "œɶ"],
  ["oo", "ꚙꝏ"],
  ["rn", "𑜀𑣣"],
  ["tc", "ʨ"],
  ["tf", "ꝷ"],
  ["ts", "ʦ"],
  ["ue", "ᵫ"],
  ["uo", "ꭣ"]
]

/** The Latin letter or letters that a character looks like. */
export const latinByCharacter: ReadonlyMap<string, string> = new Map(
  table.flatMap(([latin, characters]) => Array.from(characters, (character) => [character, latin] as const))
)
