import { useSearchParam, useSetSearch } from '../../paths'

/** The page's state, all in the URL: the area, its folder and the open file. */
export type Place = { area: string | undefined; path: string; file: string | undefined }

/** The area that is not a cluster. */
export const OUTPUTS = 'outputs'

export function usePlace(): Place {
  return {
    area: useSearchParam('area'),
    path: useSearchParam('path') ?? '',
    file: useSearchParam('file'),
  }
}

export const searchOf = ({ area, path, file }: Place) => ({ area, path: path || undefined, file })

/** Navigates within the files, so that Back returns to the previous place. */
export function useGoTo(): (place: Place) => void {
  const setSearch = useSetSearch()
  return (place) =>
    setSearch(
      { ...searchOf(place), q: undefined, by: undefined, in: undefined, sort: undefined },
      { replace: false },
    )
}
