import type { Endpoint } from '@flotilla/contract/endpoint'
import type { CallOptions } from '@flotilla/client/request'
import { useConfig } from '../../../api/config'
import { showError } from '../../../api/errors'
import { useLive } from '../../../api/live'
import { apiKey } from '../../../api/query'
import type { PageQuery, Piece, RowSource } from '../../../table/rows/use-server-rows'

/** The row source of a cluster's table for ServerTable. Live updates match it by the endpoint's path. */
export function useRowSource<Row>(
  endpoint: Endpoint,
  id: string,
  load: (query: PageQuery, options: CallOptions) => Promise<Piece<Row>>,
): RowSource<Row> {
  const { connected } = useLive()
  const { updateInterval } = useConfig()
  return {
    key: (query) => apiKey(endpoint, { id, query }),
    load,
    onError: showError,
    refetchInterval: connected ? false : updateInterval,
  }
}
