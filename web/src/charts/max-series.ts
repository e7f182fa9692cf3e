/** How many series a chart compares: as many as there are colours that can be told apart. */
export const maxSeries = 5
