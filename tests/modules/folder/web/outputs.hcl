output "url" {
  value = format("http://%s:%s/", local.host, param.port)
}
