# expect: expression at 4:34 |"../*.conf"| fileset: "../*.conf" is not a pattern of files: it leads out of the folder with `..`

file.content "sites" {
  for_each    = fileset("sites", "../*.conf")
  destination = "/tmp/{{each.key}}"
  content     = "a site"
}
