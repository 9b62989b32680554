/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.web;

import jakarta.servlet.http.HttpServletRequest;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.springframework.core.annotation.AnnotatedElementUtils;
import org.springframework.http.MediaType;
import org.springframework.web.HttpMediaTypeNotAcceptableException;
import org.springframework.web.method.HandlerMethod;
import org.springframework.web.servlet.mvc.condition.ProducesRequestCondition;
import org.springframework.web.servlet.mvc.method.annotation.RequestMappingHandlerMapping;

/** Maps requests to each {@link ForebayController}, before the application's mappings. */
final class ForebayHandlerMapping extends RequestMappingHandlerMapping {

  private static final ProducesRequestCondition JSON =
      new ProducesRequestCondition(MediaType.APPLICATION_JSON_VALUE);

  ForebayHandlerMapping() {
    setOrder(-2); // the application's router functions have -1
  }

  @Override
  protected boolean isHandler(Class<?> type) {
    return isController(type);
  }

  static boolean isController(Class<?> type) {
    return AnnotatedElementUtils.hasAnnotation(type, ForebayController.class);
  }

  /** Refuses a client that does not accept JSON, unless the controller produces something else. */
  @Override
  protected @Nullable HandlerMethod getHandlerInternal(HttpServletRequest request)
      throws Exception {
    HandlerMethod handler = super.getHandlerInternal(request);
    boolean isJson =
        handler != null && request.getAttribute(PRODUCIBLE_MEDIA_TYPES_ATTRIBUTE) == null;
    if (isJson && JSON.getMatchingCondition(request) == null) {
      throw new HttpMediaTypeNotAcceptableException(List.of(MediaType.APPLICATION_JSON));
    }
    return handler;
  }

  /** Whether the request has the path of a controller, whatever its method. */
  boolean hasPathOf(HttpServletRequest request) {
    return getHandlerMethods().keySet().stream()
        .map(info -> Objects.requireNonNull(info.getPathPatternsCondition()))
        .anyMatch(paths -> paths.getMatchingCondition(request) != null);
  }
}
