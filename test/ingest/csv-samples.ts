/** Invented beginnings and rows of the CSV formats, each written as its publisher writes. */

import { type CsvFormatName, csvFormats } from '../../src/ingest/formats/csv-formats.ts'

export interface CsvSample {
  /** The banner and the header; empty where there is none. */
  readonly head: string
  /** Rows that are all read. */
  readonly rows: readonly string[]
}

const sha256 = 'ab'.repeat(32)
const sha1 = 'cd'.repeat(20)
const md5 = 'ef'.repeat(16)

export const csvSamples: Readonly<Record<CsvFormatName, CsvSample>> = {
  'phishtank-csv': {
    head: 'phish_id,url,phish_detail_url,submission_time,verified,verification_time,online,target',
    rows: [
      '7,http://login.example.com/x,https://tank.example/7,2026-01-02T03:04:05+00:00,yes,2026-01-02T03:05:05+00:00,yes,Example Bank',
      '8,"http://login.example.com/a,b",https://tank.example/8,2026-01-02T03:04:05+00:00,yes,2026-01-02T03:05:05+00:00,yes,Other',
    ],
  },
  'urlhaus-csv': {
    head:
      '################\r\n# URLhaus Database Dump (CSV)  #\r\n#              #\r\n' +
      '# id,dateadded,url,url_status,last_online,threat,tags,urlhaus_link,reporter',
    rows: [
      '"7","2026-01-02 03:04:05","http://203.0.113.7:8080/bin.sh","online","2026-01-02 03:04:05","malware_download","elf,Mozi","https://haus.example/7/","someone"',
      '"8","2026-01-02 03:04:05","http://files.example.com/x","offline","","malware_download","None","https://haus.example/8/","someone"',
    ],
  },
  'threatfox-csv': {
    head:
      '################\r\n# ThreatFox IOCs: additions    #\r\n' +
      '# "first_seen_utc","ioc_id","ioc_value","ioc_type","threat_type","fk_malware","malware_alias",' +
      '"malware_printable","last_seen_utc","confidence_level","is_compromised","reference","tags",' +
      '"anonymous","reporter"',
    rows: [
      '"2026-01-02 03:04:05", "7", "c2.example.com", "domain", "botnet_cc", "win.example", "None", "Example Stealer", "", "100", "False", "https://fox.example/7", "a,b", "0", "someone"',
      '"2026-01-02 03:04:05", "8", "203.0.113.7:443", "ip:port", "botnet_cc", "unknown", "None", "Unknown malware", "", "25", "False", "None", "None", "1", "anonymous"',
    ],
  },
  'malwarebazaar-csv': {
    head:
      '################\r\n# MalwareBazaar recent malware samples (CSV)   #\r\n' +
      '# "first_seen_utc","sha256_hash","md5_hash","sha1_hash","reporter","file_name",' +
      '"file_type_guess","mime_type","signature"',
    rows: [
      `"2026-01-02 03:04:05", "${sha256}", "${md5}", "${sha1}", "someone", "x, y.exe", "exe", "application/x-dosexec", "Example Stealer"`,
      `"2026-01-02 03:04:05", "${sha256}", "${md5}", "n/a", "someone", "x.sh", "sh", "text/plain", "n/a"`,
    ],
  },
  'certpl-csv': {
    head: '\uFEFFPozycjaRejestru\tAdresDomeny\tDataWpisu\tDataWykreslenia',
    rows: ['7\tlogin.example.com\t2026-01-02T03:04:05+00:00\t'],
  },
  'phishstats-csv': {
    head: '################\n# PhishScore | PhishStats      #\n# CSV: Date,Score,URL,IP       #',
    rows: ['"2026-01-02 03:04:05","5.80","http://login.example.com/x","203.0.113.7"'],
  },
  tweetfeed: {
    head: '',
    rows: [
      '2026-01-02 03:04:05,someone,domain,login.example.com,#scam #phishing,https://x.example/7',
      '2026-01-02 03:04:05,someone,ip,203.0.113.7,,https://x.example/7',
      `2026-01-02 03:04:05,someone,sha256,${sha256},#ransomware,https://x.example/7`,
      '2026-01-02 03:04:05,someone,url,"http://login.example.com/a,b",#opendir,https://x.example/7',
    ],
  },
  'tranco-csv': { head: '', rows: ['1,example.com', '2,example.net', '3,example.org'] },
  'family-iocs': {
    head: '',
    rows: [
      'stealer\tc2.example.com\thttps://blog.example/7',
      'stealer\t203.0.113.7:8443\t# Reference: https://blog.example/7 (# 2026-01-02)',
      'ek_kit\thttp://kit.example.net/"x"\thttps://blog.example/7',
    ],
  },
  table: {
    head: 'Domain;Family;Reference;First seen;Confidence',
    rows: ['c2.example.com;stealer;https://blog.example/7;2026-01-02;80'],
  },
}

/** Every CSV format's name. */
export const csvFormatNames = Object.keys(csvSamples).filter((name): name is CsvFormatName =>
  Object.hasOwn(csvFormats, name),
)

/** A whole document of a format. */
export function csvDocument(name: CsvFormatName): string {
  const { head, rows } = csvSamples[name]
  return [...(head === '' ? [] : [head]), ...rows].join('\r\n')
}
