/** Letters missing, added, replaced or exchanged with their neighbour (optimal string alignment). */
export const editDistance = (word: string, name: string): number => {
  const width = name.length + 1
  // Row `n` has the distances of the first `n` letters of the word; only the last three rows are needed.
  let [before, above, current] = [0, width, 2 * width]
  const rows = new Uint16Array(3 * width)
  for (let column = 0; column < width; column++) rows[above + column] = column
  for (let row = 1; row <= word.length; row++) {
    const letter = word.charCodeAt(row - 1)
    rows[current] = row
    for (let column = 1; column < width; column++) {
      const expected = name.charCodeAt(column - 1)
      const replaced = (rows[above + column - 1] ?? 0) + (letter === expected ? 0 : 1)
      const added = (rows[above + column] ?? 0) + 1
      const missing = (rows[current + column - 1] ?? 0) + 1
      const edits = Math.min(replaced, added, missing)
      const isExchanged =
        row > 1 &&
        column > 1 &&
        letter === name.charCodeAt(column - 2) &&
        word.charCodeAt(row - 2) === expected
      rows[current + column] = isExchanged ? Math.min(edits, (rows[before + column - 2] ?? 0) + 1) : edits
    }
    const oldest = before
    before = above
    above = current
    current = oldest
  }
  return rows[above + name.length] ?? 0
}
