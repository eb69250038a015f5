-- Health of a PackageVariant for Argo CD: that of its conditions, as far as they are about the spec that it has.
local status = obj.status or {}
local generation = obj.metadata.generation or 0

local function condition(kind)
  for _, c in ipairs(status.conditions or {}) do
    if c.type == kind and c.status == "True" and (c.observedGeneration or 0) == generation then
      return c
    end
  end
end

local stalled, ready, reconciling = condition("Stalled"), condition("Ready"), condition("Reconciling")

if obj.spec.suspend and not ready then
  local waits = stalled or reconciling
  return { status = "Suspended", message = waits and "suspended: " .. waits.message or "suspended" }
elseif stalled then
  return { status = "Degraded", message = stalled.reason .. ": " .. stalled.message }
elseif ready then
  return { status = "Healthy", message = ready.message }
elseif reconciling then
  return { status = "Progressing", message = reconciling.reason .. ": " .. reconciling.message }
end
return { status = "Progressing", message = "the controller has not seen this spec yet" }
