import type { ServedConfig } from '@flotilla/contract/site/config'
import { DEFAULT_WEBSOCKET_PORT } from '@flotilla/contract/limits'
import { createContext, useContext, useMemo, useState, type ReactNode } from 'react'

/**
 * Loads the site's configuration. If that fails, the page uses the strictest settings instead of staying blank. The
 * server has validated every field against the contract, so this only rejects responses that are not a configuration.
 */
export async function loadConfig(response: Promise<Response>): Promise<ServedConfig> {
  try {
    // Browsers abort requests when the network changes; a retry distinguishes that from an unreachable server.
    const loaded = await response.catch(() => fetchConfig())
    const config: unknown = await loaded.json()
    if (loaded.ok && isConfig(config)) return config
  } catch {
    // Unreachable or not JSON: reported as the problem below.
  }
  return defaults('assets/config.json could not be read, so this page uses the strictest settings')
}

const fetchConfig = () => fetch('/assets/config.json', { cache: 'no-cache' })

const isConfig = (value: unknown): value is ServedConfig =>
  typeof value === 'object' && value !== null && 'branding' in value && 'websocketPort' in value

async function defaults(problem: string): Promise<ServedConfig> {
  const { RuntimeConfig, strictestConfig } = await import('@flotilla/contract/site/config')
  return {
    ...RuntimeConfig.parse({}),
    ...strictestConfig,
    version: 'unknown',
    server: location.origin,
    websocketPort: DEFAULT_WEBSOCKET_PORT,
    simulated: false,
    problems: [problem],
    announcement: null,
  }
}

const Config = createContext<ServedConfig | null>(null)
const Reload = createContext<() => Promise<void>>(() => Promise.resolve())

interface Props {
  initial: ServedConfig
  /** Called with each configuration that is loaded later. */
  onChange: (config: ServedConfig) => void
  children: ReactNode
}

export function ConfigProvider({ initial, onChange, children }: Props) {
  const [config, setConfig] = useState(initial)
  const reload = useMemo(
    () => async () => {
      const next = await loadConfig(fetchConfig())
      setConfig(next)
      onChange(next)
    },
    [onChange],
  )
  return (
    <Reload.Provider value={reload}>
      <Config.Provider value={config}>{children}</Config.Provider>
    </Reload.Provider>
  )
}

/** For the page that changes the configuration; other pages see a change after a reload. */
export const useReloadConfig = (): (() => Promise<void>) => useContext(Reload)

export function useConfig(): ServedConfig {
  const config = useContext(Config)
  if (!config) throw new Error('useConfig needs its provider')
  return config
}
