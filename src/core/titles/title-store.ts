/** Where the titles of links are kept, as far as fetching them is concerned. One method, one atomic step. */
export interface TitleStore {
  /**
   * Gives a link a title if it has none, still leads to this URL and was not deleted: whatever a person did meanwhile
   * counts for more. Answers whether it was written.
   */
  fillTitle(linkId: string, longUrl: string, title: string): Promise<boolean>
}
