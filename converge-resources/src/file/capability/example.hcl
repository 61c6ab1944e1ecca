# A server listens at port 80, and is not root.

param "program" {
  default = "/usr/local/bin/served"
}

file.copy "program" {
  source      = "/bin/cat"
  destination = param.program
  mode        = "0755"
}

file.capability "port" {
  destination  = file.copy.program.destination
  capabilities = "cap_net_bind_service=+ep"
}
