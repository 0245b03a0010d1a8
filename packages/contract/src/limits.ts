/**
 * The constants from section 9 of the specification and our own limits. Times are in milliseconds unless the name says
 * otherwise.
 */
export const NOTICE_HIDE_MS = 6000
export const COUNTDOWN_TICK_MS = 1000
export const NAV_SEARCH_MAX = 10
export const SIDEBAR_WIDTH = 280
export const SIDEBAR_FOLDED_WIDTH = 64

export const DEFAULT_HOST = '127.0.0.1'
export const DEFAULT_PORT = 12345
export const DEFAULT_WEBSOCKET_PORT = 2222
export const UPDATE_INTERVAL_MS = 5000
export const LICENSE_DELAY_MS = 500

export const USERNAME_MIN = 4
export const NAME_MIN = 2
export const PASSWORD_MIN = 8
export const LOGIN_PASSWORD_MIN = 4

export const CODE_DIGITS = 6
export const CODE_LIFE_MS = 15 * 60_000
export const CODE_ATTEMPTS = 5
export const RESEND_FIRST_S = 20
export const RESEND_NEXT_S = 10

// Our own limits.
export const USERNAME_MAX = 32
export const UNIX_ACCOUNT_MAX = 255
export const SEARCH_TEXT_MAX = 100
export const NAME_MAX = 64
export const EMAIL_MAX = 254
/** argon2 processes the whole password, so its length is limited. */
export const PASSWORD_MAX = 128
export const INTRO_MAX = 20_000
export const LOGO_MAX_BYTES = 512 * 1024

export const TOKEN_LIFE_MS = 60 * 60_000
export const SESSION_LIFE_MS = 7 * 24 * 60 * 60_000
export const RESET_LIFE_MS = 60 * 60_000
export const INVITATION_LIFE_MS = 14 * 24 * 60 * 60_000

/** How long an entered password counts as a confirmation in the same session. */
export const CONFIRMATION_MS = 15 * 60_000

export const ACCESS_TOKEN_DAYS = 90
export const ACCESS_TOKEN_DAYS_MAX = 365
/** Per user. */
export const ACCESS_TOKENS_MAX = 50

/** Failed attempts per account and window before it has to wait; at login, per account and network. */
export const ATTEMPTS_MAX = 10
/** Failed logins per account from all networks: only an attack reaches it, so the owner is not locked out. */
export const ATTEMPTS_ANYWHERE_MAX = 100
export const ATTEMPTS_WINDOW_MS = 5 * 60_000
/** Mails per person and window. */
export const MAILS_MAX = 5
export const MAILS_WINDOW_MS = 15 * 60_000

/** Password checks that may be queued per network: a whole class logs in at the same moment. */
export const PASSWORDS_WAITING_PER_NETWORK_MAX = 400
/** Password checks that may be queued from all networks together. */
export const PASSWORDS_WAITING_MAX = 1000
/** Failed logins per network and window before it has to wait: more than a class mistypes. */
export const WRONG_LOGINS_PER_NETWORK_MAX = 300
export const WRONG_LOGINS_WINDOW_MS = 60_000
/** For this long after a login, a user takes precedence over unknown users of the same network. */
export const KNOWN_NETWORK_MS = 30 * 24 * 60 * 60_000

/** The idle timer while config.json is invalid and no earlier value is known. */
export const STRICT_IDLE_TIMER_S = 15 * 60

/** A class shares one address, so the configurable limit cannot be lower than this. */
export const REQUESTS_PER_SECOND_MIN = 200
export const REQUESTS_PER_SECOND = 300
/** Live connections per session (one browser) and per user: more than anyone's open tabs. */
export const SOCKETS_PER_SESSION = 32
export const SOCKETS_PER_PERSON = 100
/** Live connections that have not authenticated yet, in total, and how long each may take. */
export const SOCKETS_UNIDENTIFIED_MAX = 1000
export const SOCKET_IDENTIFY_MS = 10_000
/** A login, test or search waits this long for an LDAP server in total. */
export const LDAP_TIMEOUT_MS = 10_000
/** After a timeout, an LDAP server is not tried again for this long: requests that need it fail at once. */
export const LDAP_PAUSE_MS = 5000
/** The minimum length of a directory search. */
export const LDAP_SEARCH_MIN = 2
/** People and groups of directories that one call may add or remove: each needs a lookup. */
export const LDAP_COLLABORATORS_AT_ONCE = 20
/** Directory collaborators per cluster. */
export const LDAP_COLLABORATORS_MAX = 200
export const BODY_MAX_BYTES = 1024 * 1024
/** How much of a rejected request's body is still read, and for how long, so that the sender receives the reply. */
export const REFUSED_BODY_MAX_BYTES = 64 * 1024 * 1024
export const REFUSED_BODY_MAX_MS = 30_000
export const PAGE_SIZE = 100
export const PAGE_SIZE_MAX = 1000
/** The response header with which a list returns the cursor of its next page. */
export const NEXT_CURSOR = 'x-next-cursor'

// Clouds: section 9.
export const SPECIAL_GPU_SHAPE = 'BM.GPU4.8'
export const SPECIAL_GPU_SHAPE_GPUS = 8
export const GPU_PARTITION_MODES = ['all-disabled', 'all-1g.5gb', 'all-2g.10gb', 'all-3g.20gb'] as const
/** How many partitions each GPU is split into. */
export const GPU_PARTS: Partial<Record<string, number>> = {
  'all-1g.5gb': 7,
  'all-2g.10gb': 3,
  'all-3g.20gb': 2,
}
export const STACK_MANAGER = 'torque'
export const STACK_PREFIX = 'core'
export const OS_TYPE = 'centos-7'
/** Files of one kind per stack. */
export const STACK_FILES_MAX = 50
/** The size of one upload of a stack's files, all together. */
export const STACK_UPLOAD_MAX_BYTES = 32 * 1024 * 1024
export const BURST_MODE = 'min'
export const NODE_COUNT = 1
/** Nodes per cloud cluster, in all its groups together. */
export const CLOUD_NODES_MAX = 5000
/** The default address range of a network that is created for a cluster. */
export const CLOUD_RANGE = '10.77.0.0/16'
/** AWS's limit, the lowest of all clouds. */
export const TAGS_MAX = 50
/** The default number of idle seconds after which a node is removed. */
export const IDLE_PURGE_S = 600
export const MARKETPLACE_MIN_VOLUME = 180
/** The length of a month when an hourly price is shown per month. */
export const HOURS_A_MONTH = 730

/** The kinds of network file systems that machines can mount. */
export const MOUNT_TYPES = ['nfs', 'lustre'] as const
