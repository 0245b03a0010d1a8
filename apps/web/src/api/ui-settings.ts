import { settings } from '@flotilla/contract/site/settings'
import type { UiSettings } from '@flotilla/contract/site/settings'
import { useApiQuery } from './query'

export const useUiSettings = (): UiSettings | undefined => useApiQuery(settings.ui, {}).data
