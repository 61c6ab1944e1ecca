# Attributes without quotes are expressions: values keep their types, and there are functions.

param "servers" {
  default = {
    web = { ip = "10.0.0.1", cores = 4, roles = ["http", "cache"] }
    db  = { ip = "10.0.0.2", cores = 16, roles = ["sql"] }
  }
}

param "strict" {
  type    = "bool"
  default = true
}

file.content "hosts" {
  destination = "hosts"
  mode        = param.strict ? "0640" : "0644"
  content     = join("", [for name, server in param.servers : format("%-12s%s\n", server.ip, name)])
}

file.content "facts" {
  destination = "facts.json"

  content = jsonencode({
    names    = keys(param.servers)
    cores    = values(param.servers)[*].cores
    total    = param.servers.web.cores + param.servers["db"].cores * 2 - 1
    half     = 5 / 2
    rest     = 17 % 5
    big      = [for name, server in param.servers : upper(name) if server.cores > 4]
    by_role  = { for name, server in param.servers : server.roles[0] => name }
    roles    = concat(param.servers.web.roles, param.servers.db.roles, ["all"])
    has_sql  = contains(param.servers.db.roles, "sql")
    merged   = merge({ a = 1, b = 2 }, { b = 3 })
    strict   = !param.strict || length(param.servers) == 2 && param.servers.db.cores >= 16
    fallback = try(param.servers.mail.ip, "no mail")
    can      = [can(param.servers.web.ip), can(param.servers.mail.ip)]
    first    = coalesce("", "second")
    steps    = range(0, 10, 4)
    set      = toset(["b", "a", "b"])
  })
}

file.content "texts" {
  destination = "texts.txt"

  content = join("\n", [
    lower("ABC") == "abc" ? "lower" : "not lower",
    trim("--x--", "-"),
    trimprefix("v1.2", "v"),
    replace("a.b.c", ".", "/"),
    replace("a1b22", "/[0-9]+/", "#"),
    regex("[0-9]+", "port 8080"),
    basename("/etc/ssl/ca.crt"),
    dirname("/etc/ssl/ca.crt"),
    base64encode("héllo"),
    sha256("abc"),
    split(",", "x,y,z")[1],
    tostring(1.50),
    tostring(tonumber("42") + 0.5),
    format("%s:%d", param.servers.web.ip, 8000 + 80),
    "${text} $${too} %{and_this}, but {{len (paramMap `servers`)}} servers",
    format("%s has %d%%", "disk", 93),
    yamlencode({ list = [1, "two", true], map = { k = "v" } }),
  ])
}
