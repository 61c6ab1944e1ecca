# Sees to it that a service has a page: it is asked for, and sent when it is not there or is another one.
param "service" {
  default = "http://127.0.0.1:8080"
}

http.request "page" {
  url = "{{param `service`}}/pages/welcome"

  check {
    body_matches = "^Welcome$"
  }

  apply {
    method  = "PUT"
    headers = { Content-Type = "text/plain" }
    body    = "Welcome\n"
  }
}

# Without `apply` it only asks.
http.request "health" {
  url     = "{{param `service`}}/pages/welcome"
  depends = ["http.request.page"]
}

file.content "health" {
  destination = "/srv/health"
  content     = "the service answers {{lookup `http.request.health.status`}}\n"
}
