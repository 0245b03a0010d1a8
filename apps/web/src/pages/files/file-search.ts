import { useSearchParam, useSetSearch } from '../../paths'

/** The page's state, which is in the URL: the area, its folder and the open file. */
export type Place = { area: string | undefined; path: string; file: string | undefined }

/** The area of job outputs; all other areas are clusters. */
export const OUTPUTS = 'outputs'

export function usePlace(): Place {
  return {
    area: useSearchParam('area'),
    path: useSearchParam('path') ?? '',
    file: useSearchParam('file'),
  }
}

export const searchOf = ({ area, path, file }: Place) => ({ area, path: path || undefined, file })

/** Navigates to a place. The browser's Back button returns to the previous place. */
export function useGoTo(): (place: Place) => void {
  const setSearch = useSetSearch()
  return (place) =>
    setSearch(
      { ...searchOf(place), q: undefined, by: undefined, in: undefined, sort: undefined },
      { replace: false },
    )
}
