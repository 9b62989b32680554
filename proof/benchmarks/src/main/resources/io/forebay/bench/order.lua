-- Copyright The Forebay Authors
-- SPDX-License-Identifier: Apache-2.0
--
-- A closed loop of orders for wrk: at the end of the time nothing more is sent, and outstanding requests are answered.

local ffi = require("ffi")
ffi.cdef [[
  typedef struct { long seconds; long nanos; } moment;
  int clock_gettime(int clock, moment *now);
]]

local moment = ffi.new("moment")

local function now()
  ffi.C.clock_gettime(1, moment) -- monotonic on Linux
  return tonumber(moment.seconds) + tonumber(moment.nanos) / 1e9
end

local headers = { ["Authorization"] = "Bearer @token@", ["Content-Type"] = "application/json" }
local number = @first@
local over = nil
local threads = {}

function setup(thread)
  table.insert(threads, thread)
end

function delay()
  answered = now()
  if over == nil then
    begun = answered
    over = begun + @seconds@
  end
  if answered < over then
    return 0
  end
  return 3600 * 1000
end

function request()
  local body = string.format('@bodyStart@%d@bodyEnd@', number)
  number = number + 1
  return wrk.format("POST", nil, headers, body)
end

function done(summary, latency)
  local thread = threads[1]
  local errors = summary.errors
  local lost = errors.connect + errors.read + errors.write + errors.timeout
  io.write(string.format(
    "load acknowledged=%d refused=%d lost=%d seconds=%.6f cpu=0 mean=%.4f stdev=%.4f p50=%.4f p90=%.4f p99=%.4f p999=%.4f max=%.4f\n",
    summary.requests - errors.status, errors.status, lost, thread:get("answered") - thread:get("begun"),
    latency.mean / 1000, latency.stdev / 1000, latency:percentile(50) / 1000, latency:percentile(90) / 1000, latency:percentile(99) / 1000,
    latency:percentile(99.9) / 1000, latency.max / 1000))
end
