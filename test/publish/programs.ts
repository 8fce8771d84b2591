/**
 * The programs that full lists are for, where they are installed. Tests of one that is not are
 * skipped, unless `WEIR_TEST_PROGRAMS=required`.
 */

/** The programs, each with the Debian package it comes in. */
export const programs = [
  ['dnsmasq', 'dnsmasq-base'],
  ['unbound', 'unbound'],
  ['unbound-checkconf', 'unbound'],
  ['named-checkzone', 'bind9-utils'],
] as const
export type Program = (typeof programs)[number][0]

export const isRequired = process.env['WEIR_TEST_PROGRAMS'] === 'required'

/** Such programs are often not on the path of users. */
const searchPath = [process.env['PATH'], '/usr/local/sbin', '/usr/sbin', '/sbin'].join(':')

/** Returns where a program is; null when it is not installed. */
export function pathOf(program: Program): string | null {
  return Bun.which(program, { PATH: searchPath })
}

export const isMissing = (program: Program): boolean => pathOf(program) === null

/** How unbound is to run in a directory of a test's, as whoever runs it. */
export const unboundConfig = (directory: string): string => `server:
  directory: "${directory}"
  chroot: ""
  username: ""
  pidfile: ""
  use-syslog: no
  do-daemonize: no
  num-threads: 1
  do-not-query-localhost: no
remote-control:
  control-enable: no
`
