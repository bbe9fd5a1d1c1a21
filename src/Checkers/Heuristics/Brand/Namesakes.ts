/**
 * Domains of honest firms and sites whose name looks like a brand's. Found in rankings of popular domains by the rule of
 * `BrandHomograph`. Separated by white space.
 */
export const namesakes: ReadonlySet<string> = new Set(
  // A cloud provider, a telephone shop, a payment service, an importer.
  "1cloud.ru 7mobile.de allpay.com.tw".split(" ")
)
