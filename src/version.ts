/** The version of this build, from package.json. */

import manifest from '../package.json' with { type: 'json' }

/** The semantic version, as `/ready` and the command line report it. */
export const version: string = manifest.version
