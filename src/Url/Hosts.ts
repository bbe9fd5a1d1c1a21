/** What is known about hosts: the table `hosts.tsv`, whose columns and roles `hosts.schema.js` explains. */

import type { Role } from "./Hosts/hosts.schema.js"
import hosts from "./Hosts/hosts.tsv"

/** The names that have a role. */
export const namesWith = (role: Role): ReadonlySet<string> =>
  new Set(hosts.filter(({ roles }) => roles.includes(role)).map(({ name }) => name))

const rolesByName: ReadonlyMap<string, ReadonlyArray<Role>> = new Map(
  hosts.map(({ name, roles }) => [name, roles])
)

const none: ReadonlyArray<Role> = []

/** The roles that this very name has in the table. */
export const rolesOf = (name: string): ReadonlyArray<Role> => rolesByName.get(name) ?? none

/** Whether the table has this very name with the role. */
export const hasRole = (name: string, role: Role): boolean => rolesOf(name).includes(role)

/** The patterns of the paths that name the content, by host. */
export const contentPatterns: ReadonlyMap<string, ReadonlyArray<string>> = new Map(
  hosts.flatMap(({ name, roles, content = roles.includes("shortener") ? ["/*"] : undefined }) =>
    content === undefined ? [] : [[name, content] as const]
  )
)
