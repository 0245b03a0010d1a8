import type { ServedConfig } from '@flotilla/contract/site/config'
import { DEFAULT_WEBSOCKET_PORT } from '@flotilla/contract/limits'
import { createContext, useContext } from 'react'

/**
 * The site's configuration. Whatever is wrong with it, there is one: a page with our strictest settings beats a white
 * one. The
 * server has held every field against the contract, so here only something that is not its answer at all is caught.
 */
export async function loadConfig(response: Promise<Response>): Promise<ServedConfig> {
  try {
    const answer = await response
    const config: unknown = await answer.json()
    if (answer.ok && isConfig(config)) return config
  } catch {
    // Not reached, or no JSON: told by the problem below.
  }
  return defaults('assets/config.json could not be read, so this page uses the strictest settings')
}

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
  }
}

const Config = createContext<ServedConfig | null>(null)
export const ConfigProvider = Config.Provider

export function useConfig(): ServedConfig {
  const config = useContext(Config)
  if (!config) throw new Error('useConfig needs its provider')
  return config
}
