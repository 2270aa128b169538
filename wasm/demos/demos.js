// The demos, in the order of the index.
export const demos = ['gray_scott', 'fluid', 'network', 'life', 'march', 'newton', 'filter', 'wave', 'kmeans', 'boids', 'nbody', 'options', 'spectrum', 'heat'];
