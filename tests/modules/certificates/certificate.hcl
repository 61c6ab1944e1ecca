# A key, a request, and the certificate that the authority makes of it.

param "cn" {}

param "name" {}

param "days" {
  type    = "number"
  default = 7

  validation {
    condition = param.days > 0 && param.days < 30
    message   = "a certificate cannot outlive its authority"
  }
}

param "path" {
  default = "ssl/{{param `name`}}"
}

task "key" {
  check = "test -f {{param `path`}}.key"
  apply = "openssl genpkey -quiet -algorithm EC -pkeyopt ec_paramgen_curve:P-256 -out {{param `path`}}.key"
}

task "request" {
  check   = "test -f {{param `path`}}.csr"
  apply   = "openssl req -new -key {{param `path`}}.key -subj '/CN={{param `cn`}}' -out {{param `path`}}.csr"
  depends = ["task.key"]
}

# Signing writes the serial number of the authority, so one at a time.
task "certificate" {
  check   = "openssl verify -CAfile ssl/ca.crt {{param `path`}}.crt"
  depends = ["task.request"]
  group   = "authority"

  apply = <<EOF
openssl x509 -req -in {{param `path`}}.csr -CA ssl/ca.crt -CAkey ssl/ca.key -CAcreateserial \
  -days {{param `days`}} -out {{param `path`}}.crt
EOF
}
