# A site of two pages: the module of the site uses the module of a page twice.

param "title" {
  type        = "string"
  default     = "Home"
  description = "What the site is called."
}

module "site.hcl" "site" {
  params {
    title  = "{{param `title`}}"
    port   = "8080"
    secure = true
    tags   = ["blue", "green"]
    limits = { requests = 10, seconds = 60 }
  }
}

# Looks into a module, by the path to the resource.
file.content "index" {
  destination = "pages.txt"
  content     = "{{lookup `module.site.module.start.file.content.page.destination`}}\n"
}
