import { setFlagsFromString } from "node:v8"
import { runInNewContext } from "node:vm"

/** So much may be left behind in all before it is collected. */
const MOST_LEFT_BEHIND = 67_108_864

let leftBehind = 0

const collect = () => {
  setFlagsFromString("--expose-gc")
  const collectGarbage: unknown = runInNewContext("gc")
  if (typeof collectGarbage === "function") collectGarbage()
}

/**
 * Says that memory which threads share is used no more, once nobody holds on to it. V8 counts such memory as nothing: taking
 * another list does not make it stop to collect, as it would for memory of one thread; and what is left behind stays until
 * V8 collects for other reasons, which in an idle process is nearly never. So it is told to, seldom: it stops for some
 * milliseconds then.
 */
export const leave = ({ byteLength }: ArrayBufferLike): void => {
  leftBehind += byteLength
  if (leftBehind <= MOST_LEFT_BEHIND) return
  leftBehind = 0
  collect()
}
