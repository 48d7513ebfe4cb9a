#!/bin/sh
# Makes the certificates of the TLS tests, beside this script. Needs OpenSSL 3; the results are committed, so that the
# tests need nothing. The keys protect nothing; those of the authorities are thrown away, so all is made anew at a time.
set -eu
cd "$(dirname "$0")"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
touch "$work/index.txt"
cat >"$work/openssl.cnf" <<CONFIG
[ca]
default_ca = signing
[signing]
database = $work/index.txt
new_certs_dir = $work
rand_serial = yes
unique_subject = no
default_md = sha256
policy = policy
[policy]
commonName = supplied
CONFIG

# make NAME COMMON_NAME EXTENSIONS AUTHORITY [END]: a key and a certificate, an authority's own where it signs itself.
make() {
  name=$1 common_name=$2 extensions=$3 authority=$4 end=${5:-21200101000000Z}
  if [ "$name" = "$authority" ]; then
    key=$work/$name-key.pem
    set -- -selfsign
  else
    key=$name-key.pem
    set -- -cert "$authority-cert.pem"
  fi
  openssl genpkey -quiet -algorithm EC -pkeyopt ec_paramgen_curve:P-256 -out "$key"
  openssl req -new -key "$key" -subj "/CN=$common_name" -out "$work/request.pem"
  echo "$extensions" | tr ';' '\n' >"$work/extensions.cnf"
  openssl ca -batch -notext -config "$work/openssl.cnf" "$@" -keyfile "$work/$authority-key.pem" \
    -in "$work/request.pem" -extfile "$work/extensions.cnf" -startdate 20200101000000Z -enddate "$end" \
    -out "$name-cert.pem"
}

AUTHORITY="basicConstraints=critical,CA:TRUE;keyUsage=critical,keyCertSign"
LOCALHOST="subjectAltName=DNS:localhost,IP:127.0.0.1,IP:::1"
CLIENT="extendedKeyUsage=clientAuth"
make authority "Test authority" "$AUTHORITY" authority
make stranger "Another test authority" "$AUTHORITY" stranger
make server localhost "$LOCALHOST" authority
make self-signed localhost "$LOCALHOST" self-signed
cp "$work/self-signed-key.pem" .
make expired localhost "$LOCALHOST" authority 20210101000000Z
make named sync.example.test "subjectAltName=DNS:sync.example.test" authority
make client connector "$CLIENT" authority
make strange-client connector "$CLIENT" stranger
