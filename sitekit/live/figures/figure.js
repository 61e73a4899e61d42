// What a figure extends. The loader, which runs first on every page with a figure, has brought it already.
export const { Figure, calm } = self.figures;
