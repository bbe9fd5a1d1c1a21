/** What the service shows of a local list of Safe Browsing in its health. */
export interface ListHealth {
  readonly name: string
  readonly entries: number
  readonly fetchedAt: string | null
}

interface Health {
  readonly reputationLookup: { readonly lists?: ReadonlyArray<ListHealth> }
}

const listOf = async (port: number, name: string): Promise<ListHealth | undefined> => {
  const response = await fetch(`http://127.0.0.1:${port}/health/ready`)
  const { reputationLookup } = (await response.json()) as Health
  return reputationLookup.lists?.find((list) => list.name === name)
}

/** The list, when it is as expected. */
export const until = async (port: number, name: string, isExpected: (list: ListHealth) => boolean) => {
  for (;;) {
    const list = await listOf(port, name)
    if (list !== undefined && isExpected(list)) return list
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
}
