/** Distinct invented URLs, the same every time, shaped like those of public feeds: about 70 bytes, every third with a query. */
export function* urls(count: number, seed = 1): Generator<string> {
  let state = seed
  const random = (below: number): number => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return Math.floor((state / 2 ** 32) * below)
  }
  const word = () => words[random(words.length)] ?? ""
  const letters = (length: number) => {
    let text = ""
    while (text.length < length) text += random(2 ** 31).toString(36)
    return text.slice(0, length)
  }
  for (let i = 0; i < count; i++) {
    const subdomain = random(3) === 0 ? `${word()}.` : ""
    const host = `${subdomain}${word()}-${letters(4)}${i.toString(36)}.${suffixes[random(suffixes.length)]}`
    const directories = [word(), letters(8), word(), letters(6)].slice(0, 1 + random(4)).join("/")
    const end = ["/", ".html", ".php", ""][random(4)]
    const query = i % 3 === 0 ? `?id=${letters(10)}&session=${letters(16)}` : ""
    yield `${random(5) < 3 ? "https" : "http"}://${host}/${directories}${end}${query}`
  }
}

const words =
  "login secure account verify update bank mail wallet support billing portal cloud files docs parcel gift".split(
    " "
  )

const suffixes =
  "com net org top xyz info shop online co.uk com.br de vercel.app pages.dev web.app github.io".split(" ")
