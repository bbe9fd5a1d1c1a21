import { spellingByName } from "./Brands.ts"

/**
 * A brand's name for people: `PayPal` of `paypal`, `Discord` of `discordgift`, which contains the name of its owner's
 * `domain`, and in quotation marks a name whose spelling is not known.
 */
export const shown = (name: string, domain: string): string => {
  const label = domain.slice(0, domain.indexOf("."))
  return (
    spellingByName.get(name) ?? (name.includes(label) ? spellingByName.get(label) : undefined) ?? `"${name}"`
  )
}
