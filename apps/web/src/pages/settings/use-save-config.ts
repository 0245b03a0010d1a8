import { settings, type SiteConfig, type SiteConfigChange } from '@flotilla/contract/site/settings'
import { ui } from '@flotilla/contract/site/ui'
import { useQueryClient } from '@tanstack/react-query'
import { useReloadConfig } from '../../api/config'
import { apiKey, useApiMutation } from '../../api/query'

/** Saves a part of the site's configuration and applies it to this page immediately. */
export function useSaveConfig(success: string) {
  const client = useQueryClient()
  const reload = useReloadConfig()
  const save = useApiMutation(settings.setConfig, { success, invalidates: [ui.settings] })
  return {
    pending: save.isPending ? save.variables.body : undefined,
    error: save.error,
    async save(body: SiteConfigChange): Promise<SiteConfig> {
      const saved = await save.mutateAsync({ body })
      // The cache is updated immediately, so that nothing flips back until the refetch completes.
      client.setQueryData(apiKey(settings.config, {}), saved)
      await reload()
      return saved
    },
  }
}
