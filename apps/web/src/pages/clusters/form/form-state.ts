import type { LocalClusterInput } from '@flotilla/contract/clusters/inputs'
import type * as z from 'zod/mini'
import type { ZodForm } from '../../../forms/use-zod-form'
import type { ClusterValues } from './cluster-values'

export type ClusterFormState = ZodForm<ClusterValues, z.output<typeof LocalClusterInput>>
