/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.jdbc.spring;

import io.forebay.database.DatabaseLogin;
import io.forebay.jdbc.lane.Lane;
import io.forebay.linux.CpuSet;
import java.util.HashMap;
import java.util.Map;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.springframework.util.ClassUtils;
import org.springframework.validation.Errors;

/** Validation rules of a configured gateway that go beyond the range of one number. */
final class GatewayRules {

  private static final Pattern NAME = Pattern.compile("[a-z][a-z0-9-]*");
  private static final int NAME_LENGTH = 40;
  private static final String EMBEDDED_DRIVER = "org.hsqldb.jdbc.JDBCDriver";

  private final String path;
  private final Errors errors;

  private GatewayRules(String path, Errors errors) {
    this.path = path;
    this.errors = errors;
  }

  static void check(String name, GatewaysProperties.Gateway gateway, Errors errors) {
    GatewayRules rules = new GatewayRules("gateways[" + name + "]", errors);
    rules.name(name);
    rules.databases(gateway);
    rules.cpus(gateway.cpus());
    rules.lanes(name, gateway);
    if (gateway.from() != null && gateway.partitions() != null) {
      rules.reject(
          "partitions",
          "is not allowed with from: the gateway has as many partitions as service %s"
              .formatted(gateway.from()));
    }
  }

  /** A service has at most one next stage. */
  static void oneNextStage(Map<String, GatewaysProperties.Gateway> gateways, Errors errors) {
    Map<String, String> next = new HashMap<>();
    gateways.forEach((name, gateway) -> {
      String other = gateway.from() == null ? null : next.putIfAbsent(gateway.from(), name);
      if (other != null) {
        new GatewayRules("gateways[" + name + "]", errors)
            .reject(
                "from",
                "is service %s, whose answers gateway %s performs; a service has at most one next stage"
                    .formatted(gateway.from(), other));
      }
    });
  }

  /** The name of the service of a lane must not be that of another gateway or lane. */
  static void oneServiceEach(Map<String, GatewaysProperties.Gateway> gateways, Errors errors) {
    Map<String, String> services = new HashMap<>();
    gateways.keySet().forEach(name -> services.put(name, "gateway " + name));
    gateways.forEach((name, gateway) -> {
      for (String lane : gateway.lanes().keySet()) {
        String other =
            services.putIfAbsent(
                Lane.service(name, lane), "lane %s of gateway %s".formatted(lane, name));
        if (other != null) {
          new GatewayRules("gateways[" + name + "]", errors)
              .reject(
                  "lanes[" + lane + "]",
                  "has the queues of %s, %s.in and .out; give it another name"
                      .formatted(other, Lane.service(name, lane)));
        }
      }
    });
  }

  private void lanes(String name, GatewaysProperties.Gateway gateway) {
    Map<String, String> lanes = new HashMap<>();
    gateway
        .lanes()
        .forEach((lane, settings) -> {
          String property = "lanes[" + lane + "]";
          String service = Lane.service(name, lane);
          if (gateway.from() != null) {
            reject(
                property,
                "is not allowed with from: callers cannot send statements to the gateway");
          }
          if (!NAME.matcher(lane).matches() || service.length() > NAME_LENGTH) {
            reject(
                property,
                "the name of a lane must be a lower-case letter and then lower-case letters, digits and"
                    + " hyphens; maximum length with that of the gateway and a hyphen: "
                    + NAME_LENGTH);
          }
          for (String caller : settings.callers()) {
            String other = lanes.putIfAbsent(caller, lane);
            if (other != null) {
              reject(
                  property + ".callers",
                  "contains %s, which is in lane %s; a caller has at most one lane of a gateway"
                      .formatted(caller, other));
            }
          }
        });
  }

  private void name(String name) {
    if (!NAME.matcher(name).matches() || name.length() > NAME_LENGTH) {
      errors.rejectValue(
          path,
          "name",
          "the name of a gateway must be a lower-case letter and then lower-case letters, digits"
              + " and hyphens; maximum length "
              + NAME_LENGTH);
    }
  }

  private void databases(GatewaysProperties.Gateway gateway) {
    if (gateway.datasource() == null && gateway.owner() != null) {
      reject("owner", "is allowed only with datasource: the embedded database has its own owner");
    }
    if (gateway.datasource() == null
        && !ClassUtils.isPresent(EMBEDDED_DRIVER, GatewayRules.class.getClassLoader())) {
      reject(
          "datasource",
          "must be given, because the embedded database is not on the class path; to use it, add"
              + " io.forebay:forebay-starter-hsqldb");
    }
    if (gateway.datasource() != null && gateway.owner() == null) {
      reject(
          "owner",
          "must be given with datasource: url, username and password of the role that owns schema"
              + " forebay (docs/start.md)");
    }
    if (gateway.datasource() != null && !gateway.migrations().isEmpty()) {
      reject(
          "migrations",
          "is for the embedded database only; migrate your own database with your own tools");
    }
    driver("datasource", gateway.datasource());
    driver("owner", gateway.owner());
  }

  private void driver(String property, @Nullable DatabaseLogin database) {
    if (database != null) {
      database.checkDriver(path + "." + property, errors);
    }
  }

  private void cpus(@Nullable String list) {
    if (list != null) {
      try {
        CpuSet.of(list);
      } catch (IllegalArgumentException e) {
        reject("cpus", String.valueOf(e.getMessage()));
      }
    }
  }

  private void reject(String property, String allowed) {
    errors.rejectValue(path + "." + property, property, allowed);
  }
}
