/**
 * Words, surnames and firms one edit from a brand's name: English ones by dictionary, the others as they came up among
 * the hosts of ordinary sites.
 */
const ordinaryWords: ReadonlySet<string> = new Set(
  [
    "attent banked calamar concast coreos correas correio correo discard discards discoid discos documo edinet ekonet",
    "enpass expass facet faceted faceid fidelite findme goggle googled googly ilpost impost incloud inmost insuit",
    "interact intera karna klara krake lacoste ledge ledged ledges leger lifecare lodger matsu matsuo matsuri mercati",
    "mercuri mitsui mizuno namura netflux noidea norden nordex opened openser panful papal payal payday payplay postil",
    "radium rauten revolt sagara saigon samson sason schwa schwabe schwan schwaz shoper shopex shoppe sportify stearns",
    "telegraf telegrama telegramm telstar titter toktok tremor tresor trevor truest truism trust trusts twister twitted",
    "ucard ucscard upfold upheld upsold viewnet webtransfer wmtransfer alegro alipan aligay aliway allegra allpay alpay",
    "amazone antcom artcom artnet barclay bigbuy blockpi cloudfare compast desjardin",
    // two edits from longer names
    "allenpress capitaland capitalent epicgame exitgames smsglobal saiglobal spglobal smglobal indiawest",
    "indialist indiafoss plantation playnation microspot microhost microshop mastertarget proamazonia interface",
    "bannister bankier bankcenter unicred fanbook whatsup storepoint shorepoint revolunet cryptolog cryptology bitstap blocksi instacam mollygram robinlord bankinternet",
    "payupay uniswa discords dischord schwad mastui roblog spoqify youtune swisslos turistinfo inuit imcloud chatgot",
    "bancointer bancainternet facelook microscope microsofts telegraph telegraaf sbglobal amazin netfix shorecommunity trustee trusts"
  ].flatMap((row) => row.split(" "))
)

export const has = (word: string): boolean => ordinaryWords.has(word)
