/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.web;

import jakarta.servlet.http.HttpServletRequest;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.springframework.core.annotation.AnnotatedElementUtils;
import org.springframework.http.MediaType;
import org.springframework.http.server.PathContainer;
import org.springframework.web.HttpMediaTypeNotAcceptableException;
import org.springframework.web.method.HandlerMethod;
import org.springframework.web.servlet.mvc.condition.PathPatternsRequestCondition;
import org.springframework.web.servlet.mvc.condition.ProducesRequestCondition;
import org.springframework.web.servlet.mvc.method.RequestMappingInfo;
import org.springframework.web.servlet.mvc.method.annotation.RequestMappingHandlerMapping;
import org.springframework.web.util.ServletRequestPathUtils;
import org.springframework.web.util.pattern.PathPattern;

/** Maps requests to each {@link ForebayController}, before the application's mappings. */
final class ForebayHandlerMapping extends RequestMappingHandlerMapping {

  private static final ProducesRequestCondition JSON =
      new ProducesRequestCondition(MediaType.APPLICATION_JSON_VALUE);

  /** The first two segments of a pattern, as far as they have no variable. */
  private static final Pattern BEGINNING = Pattern.compile("(/[^/{}*?]+(?=/|$)){0,2}");

  /** What the paths of all controllers begin with. */
  private final Set<PathPattern> beginnings = new HashSet<>();

  ForebayHandlerMapping() {
    setOrder(-2); // the application's router functions have -1
  }

  @Override
  protected void handlerMethodsInitialized(Map<RequestMappingInfo, HandlerMethod> methods) {
    super.handlerMethodsInitialized(methods);
    for (RequestMappingInfo info : methods.keySet()) {
      for (PathPattern path : paths(info).getPatterns()) {
        Matcher beginning = BEGINNING.matcher(path.getPatternString());
        if (beginning.lookingAt()) {
          beginnings.add(
              Objects.requireNonNull(getPatternParser()).parse(beginning.group() + "/**"));
        }
      }
    }
  }

  private static PathPatternsRequestCondition paths(RequestMappingInfo info) {
    return Objects.requireNonNull(info.getPathPatternsCondition());
  }

  @Override
  protected boolean isHandler(Class<?> type) {
    return isController(type);
  }

  static boolean isController(Class<?> type) {
    return AnnotatedElementUtils.hasAnnotation(type, ForebayController.class);
  }

  /**
   * Refuses a client that does not accept JSON, unless the controller produces something else.
   * Requests to other paths of an application are not compared with each pattern.
   */
  @Override
  protected @Nullable HandlerMethod getHandlerInternal(HttpServletRequest request)
      throws Exception {
    PathContainer path =
        ServletRequestPathUtils.getParsedRequestPath(request).pathWithinApplication();
    if (beginnings.stream().noneMatch(beginning -> beginning.matches(path))) {
      return null;
    }
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
        .map(ForebayHandlerMapping::paths)
        .anyMatch(paths -> paths.getMatchingCondition(request) != null);
  }
}
