/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.jdbc.catalogue;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.springframework.core.io.Resource;
import org.springframework.core.io.support.ResourcePatternResolver;

/**
 * The files of the catalogue, which are read at each call.
 *
 * @param locations files or file patterns; each must match a file
 * @param fallback the file that is read if there are no locations; it may be missing
 */
public record CatalogueFiles(
    ResourcePatternResolver resources, List<String> locations, String fallback) {

  /** Describes the locations, for messages. */
  String describe() {
    return locations.isEmpty() ? fallback : String.join(", ", locations);
  }

  /**
   * @param lanes the services of all lanes; null if they are not known
   * @throws CatalogueInvalid if the catalogue has errors
   */
  Catalogue read(List<String> gateways, @Nullable Set<String> lanes) {
    CatalogueReader reader = new CatalogueReader(gateways, lanes);
    try {
      Resource own = resources.getResource(fallback);
      if (locations.isEmpty() && own.exists()) {
        reader.read(own);
      }
      for (String location : locations) {
        Resource[] found = resources.getResources(location);
        if (found.length == 0) {
          found = new Resource[] {resources.getResource(location)};
        }
        Arrays.sort(found, Comparator.comparing(Resource::getDescription));
        for (Resource file : found) {
          reader.read(file);
        }
      }
    } catch (IOException e) {
      throw new UncheckedIOException("Catalogue cannot be read (" + describe() + ")", e);
    }
    return reader.catalogue();
  }
}
