/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.chunk.remote;

import io.forebay.operations.StartRefused;
import jakarta.validation.Valid;
import jakarta.validation.constraints.Max;
import jakarta.validation.constraints.Min;
import java.util.Collection;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.util.unit.DataSize;
import org.springframework.validation.Errors;
import org.springframework.validation.Validator;
import org.springframework.validation.annotation.Validated;

/**
 * @param maxBody How large one chunk over HTTP may be; from 1B to 16MB.
 * @param maxCalls How many calls one chunk over HTTP may hold.
 * @param maxAtOnce How many chunks over HTTP one service performs at the same time; further ones
 *     are refused.
 * @param services The services that this application calls, by name; none: all are in this
 *     application and have the default limits.
 */
@ConfigurationProperties("forebay.chunks")
@Validated
record ChunksProperties(
    @DefaultValue("640KB") DataSize maxBody,
    @DefaultValue("10000") @Min(1) @Max(1_000_000) int maxCalls,
    @DefaultValue("32") @Min(1) int maxAtOnce,
    @DefaultValue Map<String, @Valid ChunkServiceProperties> services)
    implements Validator {

  private static final DataSize LARGEST_BODY = DataSize.ofMegabytes(16);

  /** The properties of a service that is called; the defaults if it has none. */
  ChunkServiceProperties service(String name) {
    ChunkServiceProperties given = services.get(name);
    return given == null ? new Binder().bindOrCreate(name, ChunkServiceProperties.class) : given;
  }

  /**
   * @param here the services of this application
   * @throws StartRefused if the configuration names others without saying where they are
   */
  void mustName(Collection<String> here) {
    Set<String> all = new TreeSet<>(here);
    TreeSet<String> unknown = new TreeSet<>();
    services.forEach((name, service) -> {
      if (service.at() != null) {
        all.add(name);
      } else if (!here.contains(name)) {
        unknown.add(name);
      }
    });
    if (!unknown.isEmpty()) {
      throw new StartRefused(
          "forebay.chunks.services has properties of %s, but this application has only the services %s; correct the name, define a ListService bean with this name, or set forebay.chunks.services.%s.at to queue or to an address"
              .formatted(unknown, all, unknown.getFirst()));
    }
  }

  int maxBodyBytes() {
    return Math.toIntExact(maxBody.toBytes());
  }

  @Override
  public boolean supports(Class<?> type) {
    return type == ChunksProperties.class;
  }

  @Override
  public void validate(Object target, Errors errors) {
    if (maxBody.toBytes() < 1 || maxBody.compareTo(LARGEST_BODY) > 0) {
      errors.rejectValue("maxBody", "size", "must be from 1B to 16MB");
    }
    services.forEach((name, service) -> service.check(name, errors));
  }
}
