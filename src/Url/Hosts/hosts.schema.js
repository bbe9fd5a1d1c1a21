import { Schema } from "effect"

export const Role = Schema.Literal(
  // A firm that gives anybody a name and a page for free, without proof of identity. `tenants` is implied, also by
  // `dynamicDns`, `generated` and `carriesNames`.
  "freeHosting",
  // Names for the address of a machine at home or a rented one, and tunnels into such machines.
  "dynamicDns",
  // Support desks, sign-in, recruiting, wikis and blogs that a company runs under its own name as a subdomain. A row of a feed for the
  // name is ignored, one of a ranking is not, unless it is `shared` or `tenants` too.
  "companyService",
  // Tenants of the firm differ by path, not by host.
  "byPath",

  // An entry of a threat list for the whole host, by mistake or for one bad page, would block what many other people use. The
  // name and all its subdomains. Not where the Public Suffix List says it.
  "shared",
  // The same for the name itself; each subdomain is one tenant's.
  "tenants",
  // `*.name` is a rule of the Public Suffix List, and yet each subdomain is one tenant's. Under most such rules it is a region or
  // a server of many tenants (`ams3.digitaloceanspaces.com`), which feeds do list by mistake.
  "wildcardTenants",

  // A URL shortener; subdomains count too. Its content is `/*` where the table has no other.
  "shortener",
  // A shortener of a mail service, for the links of newsletters, or of a service for forms, whose links have random letters. How such a
  // link looks says nothing: the model does not score it.
  "countsClicks",
  // A host of a shortener that links only to its owner's own pages.
  "ownPages",
  // Many sites load scripts, fonts and pictures from it. Feeds list it by mistake: it stands in the source of almost every reported
  // page. At most 50 hosts, which serve only their owner's files. Hosts where others can publish (`cdn.jsdelivr.net`) are `shared`.
  "loaded",
  // All names under it are generated, also for honest customers.
  "generated",
  // Infrastructure that makes host names below its own from the names of its customers' sites: content delivery networks
  // (`www.microsoft.com.edgesuite.net`), reverse proxies of companies and libraries, analytics, software that firms have by
  // contract. A brand's name there is no
  // evidence. Only where a contract or a proof that the site is the customer's comes first. Not where customers choose the label
  // (`azureedge.net`, `trafficmanager.net`): a phisher chooses a brand's name.
  "carriesNames",
  // The address of a public DNS resolver. People open it in a browser, and programs send DNS over HTTPS to it.
  "publicResolver",
  // A suffix under which phishers register domains.
  "abusedSuffix",
  // Suffixes of resellers that look like a country's.
  "reseller",
  // A country's suffix that looks like `com`: others register the names of brands there.
  "likeCom",
  // A suffix for the work of a firm's staff: `netflix.engineering`.
  "work",
  // An honest firm or association whose name looks like a brand's, or like those of phishing sites, although it has nothing to do
  // with either. Add one when its site is known; a popular domain alone is not proof.
  "namesake",
  // Puts other firms' domains into its own paths and shows none of these pages as its own, subdomains too: archives, code
  // (`/blob/main/paypal.com/login.html`), sign-in of a firm's staff (`/paypal.com/oauth2/authorize`), encyclopedias, affiliate links
  // and reports about sites. Not a host that serves a file as a page, such as `htmlpreview.github.io`. If it is not shared as well, the
  // model finds no page worse than the host.
  "quoting",
  // The path contains which of the visitor's Google accounts opens a document: `/forms/u/1/d/e/...`.
  "accounts"
)

/** Of each group a name has one role at most. */
const exclusive = [
  ["freeHosting", "dynamicDns", "companyService", "carriesNames"],
  ["shared", "tenants", "wildcardTenants"]
]

export const row = Schema.Struct({
  /** A canonical host, an IPv6 address in brackets, or a suffix. */
  name: Schema.String.pipe(Schema.pattern(/^(?:(?:[a-z0-9-]+\.)*[a-z0-9-]+|\[[0-9a-f:]+\])$/)),
  roles: Schema.optionalWith(Schema.compose(Schema.split(" "), Schema.Array(Role)), { default: () => [] }),
  /**
   * Patterns of the paths that name the content, of subdomains too. The first one that fits a path counts. On such a path the
   * server ignores the query, or uses it only for how the content is shown.
   *
   * - `*`: one segment.
   * - `**`: this segment and all further ones. Each page below is content of its own.
   * - `...`: further segments or none. They are views of the same content: `/file/d/1/view` and `/file/d/1/edit`.
   */
  content: Schema.optional(
    Schema.compose(Schema.split(" "), Schema.Array(Schema.String.pipe(Schema.startsWith("/"))))
  )
}).pipe(
  Schema.filter(({ roles, content }) =>
    exclusive.some((group) => roles.filter((role) => group.includes(role)).length > 1)
      ? `${roles.join(" ")} exclude each other`
      : roles.length > 0 || content !== undefined || "a role or a content is missing"
  )
)

/** @typedef {typeof Role.Type} Role */
/** @typedef {typeof row.Type} Host */

/** What no other row may have.
 *
 * @param {Host} host
 */
export const keysOf = ({ name }) => [name]
