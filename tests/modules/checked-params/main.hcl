# Parameters with types and conditions: a wrong value is found before anything runs.

param "port" {
  type        = "number"
  default     = 8080
  description = "Where the server listens."

  validation {
    condition = param.port >= 1024 && param.port < 65536
    message   = "the port must be one that needs no root"
  }
}

param "name" {
  type = "string"

  validation {
    condition = can(regex("^[a-z][a-z0-9-]*$", param.name))
    message   = "a name has lower case letters, digits and dashes"
  }

  validation {
    condition = length(param.name) <= 12
    message   = "a name has at most 12 characters"
  }
}

param "peers" {
  type    = "list"
  default = []

  validation {
    condition = !contains(param.peers, "localhost")
    message   = "a peer is another machine"
  }
}

# A number stays one, also when it is given as text.
file.content "config" {
  destination = "config.json"
  content     = jsonencode({ name = param.name, port = param.port, next = param.port + 1, peers = param.peers })
}
