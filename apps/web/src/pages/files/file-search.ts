import { useSearchParam, useSetSearch } from '../../paths'

/** What the page shows, all of it in its address: the area, the folder in it, and the file that is open. */
export type Place = { area: string | undefined; path: string; file: string | undefined }

/** The area that is no cluster. */
export const OUTPUTS = 'outputs'

export function usePlace(): Place {
  return {
    area: useSearchParam('area'),
    path: useSearchParam('path') ?? '',
    file: useSearchParam('file'),
  }
}

export const searchOf = ({ area, path, file }: Place) => ({ area, path: path || undefined, file })

/** Goes somewhere else in the files; the way back leads to where one was. */
export function useGoTo(): (place: Place) => void {
  const setSearch = useSetSearch()
  return (place) =>
    setSearch(
      { ...searchOf(place), q: undefined, by: undefined, in: undefined, sort: undefined },
      { replace: false },
    )
}
