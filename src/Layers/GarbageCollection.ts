import { setFlagsFromString } from "node:v8"

/**
 * Settings of V8 for a service whose objects die young: a check allocates some 100 KB, and of 16 MB a collection finds 0.2 MB
 * still in use. In turn on two cores a check took 0.82 and 0.88 times the CPU with both.
 *
 * - `--no-parallel-scavenge`: waking four threads for each collection takes longer than copying 0.2 MB.
 * - `--no-allocation-site-pretenuring`: V8 allocates as old what it expects to live long. In about half of all processes that
 *   becomes true of a part of each of Effect's fibers. Such a part, and with it the whole request, stays until the next
 *   collection of all objects: a tenth of what is allocated, and a tenth of the time.
 *
 * Node warns of changing flags of a running V8; these two are read at each collection. To be called before anything else:
 * V8 decides in its first collections what will live long.
 */
export const configure = (): void => {
  setFlagsFromString("--no-parallel-scavenge")
  setFlagsFromString("--no-allocation-site-pretenuring")
}
