/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.chunk.remote;

import io.forebay.hosting.ServiceQueues;
import io.forebay.queue.QueueBackend;
import io.forebay.service.progress.HostedProgress;
import io.forebay.trace.Tracing;
import java.util.function.Supplier;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.beans.factory.support.AbstractBeanDefinition;
import org.springframework.beans.factory.support.BeanDefinitionRegistry;
import org.springframework.beans.factory.support.BeanDefinitionRegistryPostProcessor;
import org.springframework.beans.factory.support.RootBeanDefinition;

/**
 * Registers the beans of each service. Only the return type of its bean method reveals their types.
 */
final class QueuedServices implements BeanDefinitionRegistryPostProcessor {

  @Override
  public void postProcessBeanDefinitionRegistry(BeanDefinitionRegistry registry) {
    if (registry instanceof ConfigurableListableBeanFactory beans
        && beans.getBeanNamesForType(QueueBackend.class, true, false).length > 0) {
      for (String bean : beans.getBeanNamesForType(ListService.class, true, false)) {
        add(registry, beans, bean);
      }
    }
  }

  private static void add(
      BeanDefinitionRegistry registry, ConfigurableListableBeanFactory beans, String bean) {
    Supplier<ListService<?, ?>> service = () -> beans.getBean(bean, ListService.class);
    String queued = bean + "ChunkService";
    registry.registerBeanDefinition(
        queued,
        closed(new RootBeanDefinition(QueuedService.class, () -> queued(beans, service.get()))));
  }

  private static QueuedService queued(
      ConfigurableListableBeanFactory beans, ListService<?, ?> service) {
    HostedProgress progress =
        beans.getBeanProvider(HostedProgress.class).getIfAvailable(HostedProgress::none);
    ServiceQueues queues =
        ServiceQueues.open(beans.getBean(QueueBackend.class), service.name(), service.partitions());
    Tracing tracing = beans.getBeanProvider(Tracing.class).getIfAvailable(() -> Tracing.NONE);
    return new QueuedService(service, queues, progress, tracing);
  }

  private static RootBeanDefinition closed(RootBeanDefinition definition) {
    definition.setDestroyMethodName(AbstractBeanDefinition.INFER_METHOD);
    return definition;
  }
}
