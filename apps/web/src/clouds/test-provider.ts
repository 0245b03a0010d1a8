import type { Provider } from '@flotilla/contract/clouds/providers'

/** A provider for tests that offers nothing except the given parts. */
export const testProvider = (given: Partial<Provider> & Pick<Provider, 'id' | 'name'>): Provider => ({
  authentications: [],
  regions: [],
  instanceSizes: [],
  catalog: null,
  clusterFields: [],
  groupFields: [],
  stackFields: [],
  refusals: [],
  osTypes: [],
  torqueSource: false,
  torquePackages: null,
  diskTypes: [],
  rootDiskMin: 0,
  diskId: null,
  fileSystems: [],
  accelerators: [],
  sizeOptions: [],
  headSubnet: null,
  desktopDefaults: { vncTokenAuthentication: true, vncRemoteClient: false },
  consoleRanges: [],
  simulated: true,
  ...given,
})
