const PREFIX = 'flotilla.terminal.'

/** This browser tab's terminal on a cluster: found again after a reload, forgotten with the tab and at logout. */
export const keptTerminal = (cluster: string) => ({
  load: (): string | null => sessionStorage.getItem(PREFIX + cluster),
  save: (terminal: string) => sessionStorage.setItem(PREFIX + cluster, terminal),
  forget: () => sessionStorage.removeItem(PREFIX + cluster),
})
