# expect: expression at 4:25 |"sites"| sites: there is no such folder

file.content "sites" {
  for_each    = fileset("sites", "*.conf")
  destination = "/tmp/{{each.key}}"
  content     = "a site"
}
