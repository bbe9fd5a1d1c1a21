/**
 * Domains of honest firms and associations whose name looks like a brand's although it has nothing to do with it. Add one
 * when its site is known; a popular domain alone is no proof.
 */
export const namesakes: ReadonlySet<string> = new Set(
  [
    // Hosting and software: a cloud provider, the cloud of a maker of cameras, packages for network storage.
    "1cloud.ru easy4ipcloud.com synocommunity.com",
    // Telephones, payment, travel.
    "7mobile.de allpay.com.tw intui.travel",
    // A magazine, a forum, an association.
    "lebonbon.fr svcommunity.org alipac.us"
  ].flatMap((row) => row.split(" "))
)
