import { ui } from '@flotilla/contract/site/ui'
import type { UiSettings } from '@flotilla/contract/site/ui'
import { useApiQuery } from './query'

export const useUiSettings = (): UiSettings | undefined => useApiQuery(ui.settings, {}).data
