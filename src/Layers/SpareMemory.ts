/**
 * Memory that threads share, used again when what it held has been replaced. V8 does not count it, so that to be handed a lot
 * of it is no reason to collect garbage, which would hold a thread for many milliseconds; for the same reason nothing would
 * collect it soon once it is left behind.
 *
 * What is spare is held weakly: should V8 collect before it is used again, it is free.
 */
export interface SpareMemory {
  /** Whoever takes it is the only one to have it. */
  readonly take: () => SharedArrayBuffer | undefined
  /** From then on somebody else may write to it: nobody may look into it any more. Takes the place of what was spare. */
  readonly giveBack: (memory: SharedArrayBuffer) => void
}

export const make = (): SpareMemory => {
  let spare: WeakRef<SharedArrayBuffer> | undefined
  return {
    take: () => {
      const taken = spare?.deref()
      spare = undefined
      return taken
    },
    giveBack: (memory) => {
      spare = new WeakRef(memory)
    }
  }
}

/** An eighth more than is needed, so that what replaces it has room when it has grown a little. It costs nothing until then. */
const ROOM = 8

/**
 * So many bytes, in spare memory if that is large enough. Spare memory is as it was left, other memory empty.
 *
 * Too much is taken too: were it left behind, whatever grows and shrinks would leave memory behind each time, hundreds of
 * megabytes until V8 has another reason to collect. So two memories of the largest size do. After V8 has collected, when
 * there is none to spare, the next is as large as is needed.
 */
export const allocate = (length: number, spare?: SharedArrayBuffer): Uint8Array<SharedArrayBuffer> => {
  const fits = spare !== undefined && spare.byteLength >= length
  return new Uint8Array(fits ? spare : new SharedArrayBuffer(length + Math.ceil(length / ROOM)), 0, length)
}
