import type { Host } from "./hosts.schema.js"

declare const hosts: ReadonlyArray<Host>
export default hosts
