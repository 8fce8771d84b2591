/**
 * The programs that full lists are for, where they are installed. Tests of one that is not are left
 * out, unless `WEIR_TEST_PROGRAMS=required`.
 */

import type { Need } from '../../needs.ts'

/** The programs, each with the Debian package it comes in. */
export const programs = [
  ['dnsmasq', 'dnsmasq-base'],
  ['unbound', 'unbound'],
  ['unbound-checkconf', 'unbound'],
  ['named-checkzone', 'bind9-utils'],
] as const
export type Program = (typeof programs)[number][0]

const isRequired = process.env['WEIR_TEST_PROGRAMS'] === 'required'

/** Such programs are often not on the path of users. */
const searchPath = [process.env['PATH'], '/usr/local/sbin', '/usr/sbin', '/sbin'].join(':')

/** Returns where a program is; null when it is not installed. */
export function findPath(program: Program): string | null {
  return Bun.which(program, { PATH: searchPath })
}

/** A program that lists are for, as a need of tests. */
export function listProgram(name: Program): Need {
  const packageName = programs.find(([each]) => each === name)?.[1]
  return {
    what: `${name} (package ${packageName}; .ci/programs installs it)`,
    isMet: isRequired || findPath(name) !== null,
  }
}

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
