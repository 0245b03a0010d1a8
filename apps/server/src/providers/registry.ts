import { providerIds, type ProviderId } from '@flotilla/contract/site/config'
import { awsFacts } from './aws/facts'
import { azureFacts } from './azure/facts'
import { readCatalog, type CatalogFile } from './catalog'
import { gcpFacts } from './gcp/facts'
import { maasFacts } from './maas/facts'
import { oracleFacts } from './oracle/facts'
import type { Catalog, CloudProvider } from './provider'

/** Loaded on first use, and then cached. */
function lazily(load: () => Promise<{ default: CatalogFile }>): () => Promise<Catalog> {
  let reading: Promise<Catalog> | undefined
  return () => (reading ??= load().then((file) => readCatalog(file.default)))
}

/** All providers: each is a folder and an entry here. Heavy parts are loaded on first use. */
export const cloudProviders: Record<ProviderId, CloudProvider> = {
  oracle: {
    ...oracleFacts,
    catalog: lazily(() => import('./oracle/catalog.json')),
    infrastructure: async () => (await import('./oracle/infrastructure')).infrastructure,
    imageBuilder: async () => (await import('./oracle/image')).imageBuilder,
    driver: async (options) => (await import('./oracle/driver')).driver(options),
  },
  aws: {
    ...awsFacts,
    catalog: lazily(() => import('./aws/catalog.json')),
    infrastructure: async () => (await import('./aws/infrastructure')).infrastructure,
    imageBuilder: async () => (await import('./aws/image')).imageBuilder,
    driver: async (options) => (await import('./aws/driver')).driver(options),
  },
  gcp: {
    ...gcpFacts,
    catalog: lazily(() => import('./gcp/catalog.json')),
    infrastructure: async () => (await import('./gcp/infrastructure')).infrastructure,
    imageBuilder: async () => (await import('./gcp/image')).imageBuilder,
    driver: async (options) => (await import('./gcp/driver')).driver(options),
  },
  maas: {
    ...maasFacts,
    // MAAS has no catalog: its machines are queried live (modules/acm).
    catalog: async () => null,
    infrastructure: async () => (await import('./maas/infrastructure')).infrastructure,
    // MAAS deploys its own images.
    imageBuilder: async () => null,
    driver: async (options) => (await import('./maas/driver')).driver(options),
  },
  azure: {
    ...azureFacts,
    catalog: lazily(() => import('./azure/catalog.json')),
    infrastructure: async () => (await import('./azure/infrastructure')).infrastructure,
    imageBuilder: async () => (await import('./azure/image')).imageBuilder,
    driver: async (options) => (await import('./azure/driver')).driver(options),
  },
}

export const isProviderId = (text: string): text is ProviderId => providerIds.some((id) => id === text)
