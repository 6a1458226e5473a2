-- Links between documents lead to their HTML; links out of docs/ stay as they are.
function Link(link)
  link.target = link.target:gsub("^([%w%./_-]+)%.md", function(path)
    return path:match("examples/") and path .. ".md" or path .. ".html"
  end)
  return link
end
