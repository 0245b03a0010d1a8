import { settings } from '@flotilla/contract/settings'
import type { UiSettings } from '@flotilla/contract/settings'
import { useApiQuery } from './query'

export const useUiSettings = (): UiSettings | undefined => useApiQuery(settings.ui, {}).data
