// The share target of the manifest: browsers put what an app shares into the query of this page. It replaces itself at once, so
// that neither the history nor the address bar keeps the query.
import { sharedText } from "../link.browser.js"

location.replace(new URL(`./#url=${encodeURIComponent(sharedText(location.search))}`, location.href))
