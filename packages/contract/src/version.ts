import manifest from '../../../package.json' with { type: 'json' }

/** In its own file, because importing it bundles all of package.json. */
export const VERSION = manifest.version
